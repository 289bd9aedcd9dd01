"""Quality of answers: questions with known answers, put to RUM and to simpler searches."""
