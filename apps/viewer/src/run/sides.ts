/** Letters of the runs that are shown together, in the order of the command line. */
export const sides = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const
export type Side = (typeof sides)[number]
