/**
 * Set-up and results on the slides of G. Mangat and P. Malakar, Communication-balanced Job Allocation using SLURM,
 * JSSPP 2025 (the Combal slides). The paper itself is not public.
 */
import type { PaperTrace } from '../experiment/services.ts'

export type Log = PaperTrace & {
  readonly name: 'Intrepid' | 'Mira' | 'Theta'
  /** Divisor of the log's job sizes. The slides limit jobs to the machine's 512 cores, but do not say how. */
  readonly scale: number
}

const log = (name: Log['name'], file: string, scale: number): Log => ({
  name,
  scale,
  topology: 'pgft:2;16,32;1,16;1,1',
  arrivals: 'trace',
  source: {
    file,
    filter: `size=requested/${scale},nodes=power-of-two`,
    what: `a list of jobs of ${name} with their communication, of the columns Job_name Submit Runtime Nodes Comment Perc`,
  },
})

/** Job logs of the Combal slides, on 512 single-core nodes: 32 leaves of 16 nodes, each leaf below 16 L2 switches. */
export const logs: ReadonlyArray<Log> = [
  log('Intrepid', 'iitk_sample_anl.swf', 32),
  log('Mira', 'iitk_sample_mira.swf', 64),
  log('Theta', 'iitk_sample_theta.swf', 1),
]

export const algorithms = ['TopoMatch', 'uCombal', 'Combal'] as const
export type Algorithm = (typeof algorithms)[number]

/** Hours of execution or waiting, summed over a log's jobs. The Combal slides have other hours only as bars. */
export const hours: ReadonlyArray<{
  readonly log: Log['name']
  readonly figure: 'execution' | 'wait'
  readonly values: Readonly<Record<'Default' | Algorithm, number>>
}> = [
  { log: 'Intrepid', figure: 'execution', values: { Default: 1644, TopoMatch: 1637, uCombal: 1641, Combal: 1631 } },
  { log: 'Mira', figure: 'wait', values: { Default: 25_807, TopoMatch: 26_110, uCombal: 25_049, Combal: 25_453 } },
  { log: 'Theta', figure: 'execution', values: { Default: 675, TopoMatch: 664, uCombal: 637, Combal: 637 } },
  { log: 'Theta', figure: 'wait', values: { Default: 47_493, TopoMatch: 40_987, uCombal: 35_821, Combal: 35_291 } },
]

/** Communication costs of HPCG with 64 ranks under Slurm's default and under Combal. `file`: matrix of HPCG's bytes. */
export const hpcg = { byDefault: 7.27e11, combal: 5.48e11, file: 'hpcg-64ranks.mat' } as const

/** Contradictions inside the Combal slides: the figure, the statement, and the evidence against the statement. */
export const inconsistencies: ReadonlyArray<readonly [where: string, says: string, but: string]> = [
  ['Theta, wait', '25.6 % less with uCombal', 'uCombal saves 24.6 %, Combal 25.7 %'],
  ['Theta, execution', '5.8 % less', '637 of 675 hours are 5.6 % less'],
  ['number of jobs', '303, 410 and 501', '501 is 3 x 167, the others are no multiples of 167'],
]
