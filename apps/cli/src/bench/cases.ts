/** What is timed: EASY(50) with exact estimates, all jobs at time 0. */
export interface BenchCase {
  readonly trace: string
  readonly topology: string
  readonly policy: string
}

const usual = [
  ['thunder', 'radix:18'],
  ['atlas', 'radix:18'],
  ['synth:16', 'radix:16'],
  ['synth:22', 'radix:22'],
  ['synth:28', 'radix:28'],
] as const
/** Shows that all works rather than how fast. */
const small = [['synth:16:1000', 'radix:16']] as const
/** Machines of 65,536 and 221,184 nodes, and a million jobs. */
const large = [
  ['synth:64', 'radix:64'],
  ['synth:96', 'radix:96'],
  ['synth:16:1000000', 'radix:16'],
] as const

const policies = ['baseline', 'jigsaw']

/** @param quick a small one alone; @param isLarge those that take minutes too */
export function benchCases(quick: boolean, isLarge: boolean): ReadonlyArray<BenchCase> {
  const machines = quick ? small : isLarge ? [...usual, ...large] : usual
  return machines.flatMap(([trace, topology]) => policies.map((policy) => ({ trace, topology, policy })))
}
