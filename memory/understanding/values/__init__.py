"""Values with a form of their own: numbers, amounts, codes, phone numbers and addresses."""
