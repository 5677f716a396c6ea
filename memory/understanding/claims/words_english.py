"""English words that claims are made of, as patterns: jobs, diets, foods, medicines, conditions, languages."""

from __future__ import annotations


def _alternatives(words: str) -> str:
    return "|".join(sorted((word.strip().replace(" ", r"\s+") for word in words.split(",")), key=len, reverse=True))


JOBS = _alternatives(
    "teacher, nurse, doctor, lawyer, engineer, developer, programmer, designer, manager, accountant, chef, "
    "cook, waiter, waitress, driver, pilot, student, professor, scientist,"
    " researcher, writer, journalist, editor, artist, musician, singer, actor, actress, dancer, photographer, "
    "architect, electrician, plumber, carpenter, mechanic, farmer, gardener,"
    " baker, butcher, hairdresser, barber, dentist, vet, veterinarian, pharmacist, therapist, psychologist, "
    "psychiatrist, surgeon, paramedic, firefighter, policeman, policewoman,"
    " police officer, soldier, librarian, translator, interpreter, secretary, assistant, receptionist, "
    "consultant, analyst, banker, economist, trader, broker, salesman, saleswoman,"
    " salesperson, shop assistant, cashier, cleaner, caretaker, builder, technician, physicist, chemist, "
    "biologist, mathematician, historian, judge, politician, priest, pastor,"
    " social worker, midwife, trainer, coach, tutor, freelancer, retiree, pensioner, housewife, househusband, "
    "data scientist, product manager, project manager, postman, tailor,"
    " physiotherapist, optician, beautician, bartender, flight attendant, kindergarten teacher, carer, "
    "caregiver, intern, apprentice, director, founder, ceo, entrepreneur"
)
DIETS = _alternatives(
    "vegetarian, vegan, pescatarian, pescetarian, flexitarian, keto, kosher, halal, gluten-free, gluten free, "
    "dairy-free, low-carb, carnivore, omnivore, plant-based, a meat eater"
)
FOODS = _alternatives(
    "fish, meat, pork, beef, chicken, lamb, red meat, seafood, shellfish, eggs, egg, dairy, milk, cheese, "
    "gluten, bread, sugar, sweets, nuts, peanuts, soy, everything, mushrooms,"
    " onions, garlic, spicy food, fast food, chocolate, rice, pasta, tofu, animal products, raw fish, sushi"
)
MEDICINES = _alternatives(
    "medication, medications, medicine, medicines, pills, tablets, drops, antibiotics, painkillers, "
    "antidepressants, insulin, ibuprofen, aspirin, paracetamol, acetaminophen,"
    " penicillin, amoxicillin, metformin, warfarin, statins, beta blockers, beta-blockers, blood thinners, "
    "antihistamines, steroids, cortisone, levothyroxine, lithium, ritalin,"
    " sertraline, omeprazole, vitamin d, inhaler, the pill, lisinopril, prednisone, xarelto, eliquis, methotrexate"
)
CONDITIONS = _alternatives(
    "diabetes, diabetic, asthma, asthmatic, epilepsy, epileptic, high blood pressure, low blood pressure, "
    "hypertension, migraines, migraine, arthritis, celiac disease, coeliac disease, celiac, coeliac,"
    " crohn's disease, depression, anxiety, insomnia, adhd, heart condition, heart disease, pacemaker, cancer, "
    "anemia, anaemia, osteoporosis, sleep apnea, hay fever, eczema, psoriasis,"
    " thyroid problem, hypothyroidism, multiple sclerosis, parkinson's, dementia, colour-blind, color-blind, "
    "colorblind, dyslexia, dyslexic, hemophilia, vertigo, gout, pregnant, a bad back, bad knees"
)
LANGUAGES = _alternatives(
    "english, german, french, spanish, italian, portuguese, dutch, polish, russian, ukrainian, turkish, "
    "arabic, hindi, chinese, mandarin, cantonese, japanese, korean, swedish,"
    " danish, norwegian, finnish, greek, czech, hungarian, romanian, vietnamese, thai, indonesian, hebrew, "
    "persian, farsi, urdu, bengali"
)
