/** Simulation that `cloister bench` times, with the queue easy:50, exact estimates and all jobs submitted at time 0. */
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
/** Case of `cloister bench --quick`, a test of the benchmark itself, too small for figures about speed. */
const small = [['synth:16:1000', 'radix:16']] as const
/** Cases of `cloister bench --large`: machines of 65,536 and 221,184 nodes, and a trace of a million jobs. */
const large = [
  ['synth:64', 'radix:64'],
  ['synth:96', 'radix:96'],
  ['synth:16:1000000', 'radix:16'],
] as const

const policies = ['baseline', 'jigsaw']

/**
 * Returns the cases that `cloister bench` times.
 * @param quick returns only the small case
 * @param isLarge adds the large cases, which take minutes, unless `quick` is true
 */
export function benchCases(quick: boolean, isLarge: boolean): ReadonlyArray<BenchCase> {
  const machines = quick ? small : isLarge ? [...usual, ...large] : usual
  return machines.flatMap(([trace, topology]) => policies.map((policy) => ({ trace, topology, policy })))
}
