import type { Reproduction } from './experiment/reproduction.ts'
import { fig8 } from './jigsaw/makespan.ts'
import { table1 } from './jigsaw/table1.ts'
import { table2 } from './jigsaw/table2.ts'
import { table3 } from './jigsaw/table3.ts'
import { fig7 } from './jigsaw/turnaround.ts'
import { fig6, on1024Nodes } from './jigsaw/utilization.ts'
import * as continuous from './mishra/continuous-runs.ts'
import * as single from './mishra/single-jobs.ts'
import { totalsOfHpc2n, totalsOfOthers, waitsOfContiguous, waitsOfHpc2n } from './pascual/runs.ts'
import * as pollard from './pollard/cost-of-isolation.ts'
import * as hops from './pollard/hops.ts'
import * as requests from './pollard/requests.ts'

/** Everything that can be made again, paper by paper. */
export const reproductions: ReadonlyArray<Reproduction> = [
  table1,
  fig6,
  on1024Nodes,
  table2,
  fig7,
  fig8,
  table3,
  waitsOfContiguous,
  totalsOfHpc2n,
  waitsOfHpc2n,
  totalsOfOthers,
  continuous.table3,
  single.table4,
  continuous.fig6,
  single.fig7,
  single.fig8,
  continuous.fig9,
  pollard.table1,
  requests.fig5,
  requests.fig6,
  hops.fig7,
  pollard.fig8,
  pollard.fig9,
  pollard.fig10,
]
