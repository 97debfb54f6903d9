import { type LogRecord, LogWriter, milliseconds, readLog, resourcesOf } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindPolicy, type PlacementPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { type BoundOrder, bindOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import { generateSynthetic } from '@cloister/workload'
import { expect, test } from 'vitest'
import {
  describeOrder,
  describeRun,
  optionsOfRules,
  liveJobOf,
  LiveScheduler,
  type QueueDiscipline,
  simulate,
} from '../src/index.ts'

const topology = parseTopology('radix:4')

const disciplines: ReadonlyArray<readonly [QueueDiscipline, order?: string]> = [
  [{ backfill: 'none' }],
  [{ backfill: 'easy', window: 20, reservation: 'movable' }, 'smallest'],
  [{ backfill: 'easy', window: 20, replan: true }],
  [{ backfill: 'easy', window: 20 }, 'wfp'],
  [{ backfill: 'conservative', window: 10 }, 'shortest'],
  [{ backfill: 'conservative', window: 10, reservation: 'movable' }],
  [{ backfill: 'conservative', window: 10, reservation: 'movable' }, 'fair-share'],
]

function simulated(policy: PlacementPolicy<any, any>, queue: QueueDiscipline, name: string | undefined, seed: number) {
  const bound = bindPolicy(policy, topology)
  const newOrder = (): BoundOrder | undefined =>
    name === undefined ? undefined : bindOrder(orders.get(name)!, topology)
  const order = newOrder()
  const jobs = generateSynthetic({ mean: 4, count: 30, seed }).jobs.map((job, at) => ({
    ...job,
    submit: at * 60_000,
    runTime: job.runTime + 1000,
    // Some jobs end before the ends of their estimates, and some long after.
    walltime: Math.ceil((job.runTime * (1 + (at % 4))) / 2000) * 1000 + 1000,
  }))
  const workload = { name: 'drawn', filter: '', sha256: '0'.repeat(64), jobs }
  const header = describeRun({
    workload,
    bound,
    ...(order && { order: describeOrder(order) }),
    program: 'test@1.0.0',
    options: {
      ...optionsOfRules({ queue, estimates: 'requested', overrun: 'run-on', refusals: false }, 'trace'),
      seed,
    },
  })
  const outages = [
    { time: 1_000_500, change: 'down' as const, resources: { nodes: [15], links: [] } },
    { time: 2_000_500, change: 'up' as const, resources: { nodes: [15], links: [] } },
  ]
  const chunks: Array<Uint8Array> = []
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  const common = { topology, policyName: policy.name, queue }
  simulate({
    ...common,
    placer: bound.placer,
    order,
    workload,
    outages,
    estimates: 'requested',
    overrun: 'run-on',
    refusals: false,
    recorder,
  })
  return {
    rules: { ...common, newOrder, placer: bindPolicy(policy, topology).placer },
    header,
    log: Buffer.concat(chunks),
  }
}

/** Reports the events of a log to a live scheduler, and makes a scheduling pass at each instant. */
function tell(scheduler: LiveScheduler<unknown>, records: ReadonlyArray<LogRecord>): void {
  const instants = Map.groupBy(records, (record) => ('t' in record ? milliseconds(record.t) : -1))
  for (const [now, of] of instants) {
    const happened = of.filter(({ type }) => ['submit', 'finish', 'kill', 'down', 'up'].includes(type))
    if (happened.length === 0) continue
    scheduler.at(now)
    for (const record of happened) {
      if (record.type === 'submit') scheduler.submit(liveJobOf(record))
      else if (record.type === 'finish') scheduler.finish(record.job, false)
      else if (record.type === 'down' || record.type === 'up') scheduler.change(record.type, resourcesOf(record))
    }
    scheduler.pass()
  }
}

test('LiveScheduler makes the decisions of a simulation with the same inputs at the same times', () => {
  for (const policy of [baseline, jigsaw])
    for (const [seed, [queue, order]] of disciplines.entries()) {
      const { rules, header, log } = simulated(policy, queue, order, seed)
      const records = [...readLog([log], sha256)]
      const chunks: Array<Uint8Array> = []
      const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
      tell(new LiveScheduler(rules, writer), records)
      const end = records.findLast(({ type }) => type === 'end')
      if (end?.type === 'end') writer.record({ ...end, t: milliseconds(end.t) })
      expect(Buffer.concat(chunks).toString()).toBe(log.toString())
    }
})
