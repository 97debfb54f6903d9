import type { LogHeader } from '@cloister/eventlog'

/** Returns the header of a log of Slurm's decisions. The header claims no property of placements and no queue order. */
export function observedHeader(
  workload: LogHeader['workload'],
  epoch: number,
  sealEvery: number,
  program: string,
): LogHeader {
  return {
    origin: 'observed',
    workload,
    policy: {
      name: 'slurm',
      version: 'observed',
      config: {},
      claims: {
        links: 'shared',
        full_bandwidth: false,
        exact_size: false,
        monotone: false,
        complete: false,
        speedup_scenarios: false,
      },
    },
    options: { arrivals: 'trace', queue: 'external', estimates: 'requested' },
    seal_every: sealEvery,
    program,
    epoch,
  }
}
