/** One of the most important numbers of the papers: a value of a claim. */
export interface ImportantNumber {
  readonly paper: string
  /** Section of the claim, if several claims have a value with the same description. */
  readonly section?: string
  /** Description of the value. */
  readonly of: string
  /** Name of the number for users. */
  readonly name: string
}

export const numbers: ReadonlyArray<ImportantNumber> = [
  { paper: 'Jigsaw', of: 'utilization under Jigsaw, Thunder', name: 'utilization under Jigsaw on Thunder' },
  { paper: 'Jigsaw', of: 'utilization under LaaS, Synth-28', name: 'utilization under LaaS on Synth-28' },
  { paper: 'Jigsaw', of: 'LaaS on its best trace', name: 'utilization under LaaS on its best trace' },
  { paper: 'Jigsaw', of: 'utilization under TA 2017, Thunder', name: 'utilization under TA on Thunder' },
  {
    paper: 'Jigsaw',
    of: 'Jigsaw ahead of the better of LaaS and TA, mean of the traces',
    name: 'Jigsaw ahead of LaaS and TA',
  },
  { paper: 'Jigsaw', of: 'LC+S ahead of Jigsaw, at most', name: 'LC+S ahead of Jigsaw at most' },
  {
    paper: 'Jigsaw',
    of: 'worst makespan under Jigsaw, no speed-up',
    name: "Jigsaw's makespan without speed-up, over Baseline's",
  },
  {
    paper: 'Jigsaw',
    of: 'best makespan under Jigsaw with speed-ups',
    name: "Jigsaw's best makespan with speed-ups, over Baseline's",
  },
  {
    paper: 'Pollard',
    of: 'drop of the median utilization by isolation: HPC2N-2x',
    name: 'utilization lost on the overloaded HPC2N-2x',
  },
  {
    paper: 'Pollard',
    of: 'makespan under TA, overloaded: HPC2N-2x',
    name: "TA's makespan on the overloaded HPC2N-2x, over TO's",
  },
  { paper: 'Pollard', of: 'speed-up of all jobs: Cab, all sizes', name: 'speed-up by isolation on Cab' },
  { paper: 'Pollard', of: 'speed-up of all jobs: simulation', name: 'speed-up by isolation in the simulated tree' },
  {
    paper: 'Mishra',
    of: 'hours of execution saved, mean of logs, patterns and algorithms',
    name: 'hours of execution saved',
  },
  { paper: 'Mishra', of: 'wait saved, mean of three logs', name: 'wait saved over three logs' },
  {
    paper: 'Mishra',
    section: '6.1, Table 3',
    of: 'execution saved by balanced, Mira, RHVD',
    name: 'execution saved by balanced on Mira, RHVD',
  },
  {
    paper: 'Pascual',
    of: 'wait, contiguous without speed-up: SDSC, FCFS',
    name: 'wait under contiguous allocation on SDSC, over first fit',
  },
  {
    paper: 'Pascual',
    of: 'speed-up from which contiguous is ahead: SDSC, EASY',
    name: 'speed-up that pays for contiguous allocation on SDSC with backfilling',
  },
  {
    paper: 'Pascual',
    of: 'speed-up from which contiguous is ahead: HPC2N, FCFS',
    name: 'speed-up that pays for contiguous allocation on HPC2N',
  },
  {
    paper: 'Combal',
    of: 'Theta: wait saved by uCombal; cost effective, old cost of the default run',
    name: 'wait of Theta saved by uCombal',
  },
  { paper: 'Combal', of: 'saved by Combal', name: 'cost of an HPCG job saved by Combal' },
]
