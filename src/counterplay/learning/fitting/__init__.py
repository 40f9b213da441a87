"""Networks while torch trains them: layers, their updates, the kept state. Nothing else imports torch."""
