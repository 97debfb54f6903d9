/** By which the runs that are seen together are told apart, in the order in which they were given. */
export const sides = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const
export type Side = (typeof sides)[number]
