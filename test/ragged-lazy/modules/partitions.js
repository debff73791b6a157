// Functions of partitions that a module exports: any thread can import them.

export const doubled = (part) => part.field("met").multiply(2);
export const texts = (part) => part.field("met").toList().map(String);
