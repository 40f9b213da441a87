"""What each decision of a finished hand cost, and what the other player could believe; for people and for logs.

Door: `running_result.PlayedMatch`, `running_result.reviewer_of` and `hand_review.review_hand`.
"""
