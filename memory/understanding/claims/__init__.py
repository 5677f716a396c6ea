"""What is said about people: names, homes, jobs, diets, allergies, likes, events."""
