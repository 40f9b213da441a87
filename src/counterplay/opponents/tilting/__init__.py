"""Models of whole games of hold'em from hands: a blueprint tilted toward what was observed.

Door: `tilted_model.model_of_hands`, and `mapped_hands.predict_hands`, which measures how well a strategy predicts hands.
"""
