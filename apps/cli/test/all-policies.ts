export { allPolicies } from '../src/bench/cases.ts'

/** Policies that give links to jobs, and claim full bandwidth or a share of it. */
export const isolating = ['jigsaw', 'laas', 'least-constrained', 'mosaic', 'ta']
