import type { Header } from '@cloister/eventlog'
import { FairShare, fairShareConfig } from './fair-share.ts'
import type { Job } from './jobs.ts'
import { areClose, type QueueOrder } from './scores.ts'

type Formula = (job: Pick<Job, 'size' | 'submitted' | 'estimate'>, now: number) => number

const estimate: Formula = ({ estimate = Infinity }) => estimate
const isInDoubt = (a: Job, b: Job): boolean => areClose(a.score, b.score)

/** Times below 1 s count as 1 s. */
const atLeastOneSecond = (milliseconds: number): number => Math.max(milliseconds, 1000)

/** Orders found by regression (Carastan-Santos and de Camargo, SC 2017). */
function learned(weight: number, area: (length: number, nodes: number) => number): QueueOrder {
  const score: Formula = (job) =>
    area(atLeastOneSecond(estimate(job, 0)) / 1000, job.size) +
    weight * Math.log10(atLeastOneSecond(job.submitted) / 1000)
  return { isFixed: true, score, isInDoubt }
}

/** Scores by size and estimate need no logarithm and no power, so no rounding differs. */
const exact: ReadonlyMap<string, QueueOrder> = new Map([
  ['submit', { isFixed: true, score: () => 0 }],
  ['shortest', { isFixed: true, score: estimate }],
  ['smallest', { isFixed: true, score: ({ size }: Job) => size }],
  ['recorded', { isFixed: true, isRecorded: true, score: ({ turn = Infinity }: Job) => turn }],
  ['largest', { isFixed: true, score: ({ size }: Job) => -size }],
  [
    'wfp',
    {
      isFixed: false,
      // The cube of wait / estimate by products, as rounding would decide between equal jobs otherwise.
      score(job: Job, now: number) {
        const slowdown = (now - job.submitted) / atLeastOneSecond(estimate(job, now))
        return -slowdown * slowdown * slowdown * job.size
      },
      isInDoubt,
    },
  ],
])

const rounded: ReadonlyMap<string, QueueOrder> = new Map([
  ['f1', learned(870, (length, nodes) => nodes * Math.log10(length))],
  ['f2', learned(25_600, (length, nodes) => nodes * Math.sqrt(length))],
  ['f3', learned(6_860_000, (length, nodes) => nodes * length)],
  ['f4', learned(530_000, (length, nodes) => Math.sqrt(nodes) * length)],
  [
    'unicef',
    {
      isFixed: false,
      score: (job: Job, now: number) =>
        (job.submitted - now) / (Math.log2(Math.max(job.size, 2)) * atLeastOneSecond(estimate(job, now))),
      isInDoubt,
    },
  ],
])

type LoggedOrder = NonNullable<Header['order']>

function builtIn({ name, version, config }: LoggedOrder): QueueOrder | string {
  const plain = exact.get(name) ?? rounded.get(name)
  const untested = 'so the order of the queue is untested'
  if (plain === undefined && name !== 'fair-share') return `the queue order ${name} is not built in, ${untested}`
  if (!version.startsWith('1.')) return `version ${version} of the queue order ${name} is not built in, ${untested}`
  if (plain !== undefined && Object.keys(config).length === 0) return plain
  const shares = plain === undefined ? fairShareConfig(config) : undefined
  return shares === undefined
    ? `the queue order ${name} cannot have the config ${JSON.stringify(config)}, ${untested}`
    : new FairShare(shares)
}

const readsHistory = (order: QueueOrder): boolean => order.release !== undefined

/**
 * Returns the queue order of a log; undefined for the order of submission. Returns the reason, a text, if the auditor does
 * not know the order.
 */
export function queueOrderOf({ order: logged, part }: Header): QueueOrder | string | undefined {
  const order = logged && builtIn(logged)
  if (part === undefined || order === undefined || typeof order === 'string' || !readsHistory(order)) return order
  return `a part of a run lacks earlier runs of the users, so the queue order ${logged!.name} is untested`
}

/** Returns a message about the order of a header that contradicts itself; undefined for any other header. */
export function whatIsWrongWithOrder({ order: logged }: Header): string | undefined {
  if (logged?.name === 'submit') return 'the header names the order submit, but a log in submit order names no order'
  const order = logged && builtIn(logged)
  if (order === undefined || typeof order === 'string') return undefined
  const { fixed, history, waits, recorded = false } = logged!.claims
  if (waits !== undefined) return `the order ${logged!.name} claims waits, but only an agent keeps all jobs waiting`
  if (recorded !== (order.isRecorded === true))
    return `the order ${logged!.name} claims recorded: ${recorded}, expected recorded: ${!recorded}`
  return fixed === order.isFixed && history === readsHistory(order)
    ? undefined
    : `the order ${logged!.name} claims fixed: ${fixed}, history: ${history}, expected fixed: ${order.isFixed}, history: ${readsHistory(order)}`
}
