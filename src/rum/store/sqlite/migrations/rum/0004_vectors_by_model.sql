-- Where several models are in use, each goes by its own vectors, and by what it has yet to see, alone.

CREATE INDEX memory_vectors_model ON memory_vectors(model, number);
CREATE INDEX unembedded_model ON unembedded(model, memory);

-- What a model cannot embed has no vector: an empty one instead of one of zeros, which was compared with all else.
UPDATE memory_vectors SET data = x'' WHERE data = zeroblob(length(data));
