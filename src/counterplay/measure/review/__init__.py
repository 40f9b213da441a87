"""What each decision of a finished hand cost, and what the other player could believe; for people and for logs.

Door: `running_result.PlayedMatch`, `reviewer.reviewer_of` and `hand_review.review_hand`.
"""
