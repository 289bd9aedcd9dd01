"""How good RUM's answers are: questions with known answers, and what each way of searching makes of them."""
