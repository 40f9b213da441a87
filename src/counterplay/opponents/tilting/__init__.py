"""Models of whole games of hold'em from hands: a blueprint tilted toward what was observed.

Door: `tilted_model.model_of_hands`, and `prediction.predict_hands`, which says how well a strategy predicts hands.
"""
