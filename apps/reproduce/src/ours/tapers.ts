import { formatIdset, seededDraws } from '@cloister/topology'
import { Effect } from 'effect'
import { named, plan, type Planned, runAll, type Scheme, steady } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type LocatedTrace, type PaperTrace, Traces } from '../experiment/services.ts'
import * as paper from '../jigsaw/paper.ts'
import { reportOf, type Table } from '../report/report.ts'
import { differenceWithInterval, withInterval } from './workloads.ts'

interface Machine extends PaperTrace {
  /** Cells of the first columns: machine, taper, absent parts. */
  readonly cells: readonly [string, string, string]
  /** Returns the absent parts as the end of a topology spec. @param leaves text of the file of Lingjun's leaves */
  readonly without: (seed: number, leaves: string) => string
}

const schemes: ReadonlyArray<Scheme> = [
  ...named(paper.schemes, 'Baseline', 'TA', 'LaaS', 'Jigsaw'),
  { name: 'Mosaic', spec: { policy: 'mosaic' } },
]
const [base, ...isolating] = schemes.map(({ name }) => name)

/** Seeds of the draws: each seed draws the jobs and the absent parts. */
const seeds = [1, 2, 3, 4, 5]

/** Uplinks of a leaf with 12 nodes, by the taper. */
const uplinks = { '1:1': 12, '3:2': 8, '2:1': 6, '4:1': 3 }
const NODES = 1440

const LINGJUN = 'alibaba-lingjun-2023-topo.csv'

const nodes = (percent: number) => (seed: number) => ` without nodes ${formatIdset(drawn(seed, percent))}`

/** A leaf has as many uplinks as nodes on the machine without taper, so a draw of node ids is a draw of leaf cables. */
const cables = (percent: number) => (seed: number) =>
  ` without ${Array.from(drawn(seed, percent), (id) => `leaf ${Math.floor(id / 12)} ports ${id % 12}`).join('; ')}`

const machines: ReadonlyArray<Machine> = [
  machine('1:1'),
  machine('3:2'),
  machine('2:1'),
  machine('4:1'),
  machine('1:1', '5 % of nodes', nodes(5)),
  machine('1:1', '20 % of nodes', nodes(20)),
  machine('1:1', '40 % of nodes', nodes(40)),
  machine('1:1', '5 % of leaf cables', cables(5)),
  machine('2:1', '20 % of nodes', nodes(20)),
  {
    name: 'Lingjun',
    cells: ['Lingjun, 847 nodes', '1:1, assumed', '305 of 1,152 nodes'],
    source: {
      file: LINGJUN,
      filter: '',
      what: 'the hosts of the cluster Lingjun with their switches (github.com/alibaba/alibaba-lingjun-dataset-2023)',
    },
    arrivals: 'zero',
    topology: 'pgft:3;8,48,3;1,8,48;1,1,1',
    without: (_, leaves) => absentOnLingjun(leaves),
  },
]

/** Experiment on the utilization that isolation costs on tapered trees, and on machines with absent parts. */
export const tapers: Experiment = Effect.gen(function* () {
  const { readText } = yield* Traces
  const leaves = yield* readText(LINGJUN)
  const located = (yield* locateAll(machines)).filter(({ source }) => 'trace' in source || leaves !== undefined)
  const outcomes = yield* runAll(located.flatMap((each) => plannedOn(each, leaves ?? '')))
  const table = (
    title: string,
    columns: ReadonlyArray<string>,
    cell: (values: ReadonlyArray<number>, from: ReadonlyArray<number>) => string,
  ): Table => ({
    title,
    heading: ['machine', 'taper', 'absent', ...columns],
    rows: located.map(({ name, cells }) => {
      const values = (scheme: string) => outcomes.values(steady, seeds.map(drawOf(name)), scheme)
      return [...cells, ...columns.map((scheme) => cell(values(scheme), values(base)))]
    }),
  })
  return reportOf([
    table(
      `Utilization of the present nodes, steady state: mean of ${seeds.length} draws, and its interval of 95 %`,
      [base, ...isolating],
      withInterval,
    ),
    table('Points below Baseline on the same draw: mean, and its interval of 95 %', isolating, (values, from) =>
      differenceWithInterval(from, values),
    ),
  ])
})

function machine(taper: keyof typeof uplinks, absent = 'none', without: Machine['without'] = () => ''): Machine {
  return {
    name: absent === 'none' ? taper : `${taper} without ${absent}`,
    cells: ['1,440 nodes', taper, absent],
    source: { trace: 'synth:16' },
    arrivals: 'zero',
    topology: `pgft:3;12,10,12;1,${uplinks[taper]},10;1,1,1`,
    without,
  }
}

const drawOf = (name: string) => (seed: number) => `${name}, draw ${seed}`

function plannedOn(on: Machine & { readonly located: LocatedTrace }, leaves: string): ReadonlyArray<Planned> {
  const { name, cells, located } = on
  // Mosaic serves leaves with as many uplinks as nodes.
  const served = schemes.filter((scheme) => scheme.name !== 'Mosaic' || cells[1].startsWith('1:1'))
  return seeds.flatMap((seed) => {
    const topology = on.topology + on.without(seed, leaves)
    const jobs = { ...located, trace: `synth:16:2000:${seed}` }
    return served.map((scheme) => plan({ name: drawOf(name)(seed), topology, located: jobs }, paper.queue, scheme))
  })
}

/** Draws a percentage of the nodes; returns their ids in ascending order. */
function drawn(seed: number, percent: number): Int32Array {
  const draw = seededDraws(seed)
  const ids = Int32Array.from({ length: NODES }, (_, id) => id)
  const count = (NODES * percent) / 100
  for (let i = 0; i < count; i++) {
    const j = i + draw(NODES - i)
    const id = ids[j]
    ids[j] = ids[i]
    ids[i] = id
  }
  return ids.slice(0, count).sort()
}

/**
 * Returns the nodes that Lingjun lacks of 3 pods of 48 leaves of 8 nodes. Each line of the file has a host, and the
 * switches above the host from the core down.
 */
function absentOnLingjun(file: string): string {
  const hosts = file.trim().split('\n').slice(1)
  const sizes = [...Map.groupBy(hosts, (host) => host.split(',')[2]).values()].map((pod) =>
    [...Map.groupBy(pod, (host) => host.split(',')[3]).values()].map(({ length }) => length),
  )
  const absent = Int32Array.from({ length: 3 * 48 * 8 }, (_, id) => id).filter(
    (id) => id % 8 >= (sizes[Math.floor(id / (48 * 8))]?.[Math.floor(id / 8) % 48] ?? 0),
  )
  return ` without nodes ${formatIdset(absent)}`
}
