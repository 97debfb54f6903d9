import type { Request } from '../contract.ts'
import type { Draw } from './draw.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** First instants of random histories, in ms: 0 as in simulations, and up to the clock of a live cluster. */
export const startTimes: ReadonlyArray<number> = [0, 2 * MINUTE, 400 * DAY, 1_800_000_000_000]
const estimates = [undefined, 1000, MINUTE, 60 * MINUTE, 30 * DAY]
const bandwidths = [500, 500, undefined, 1, 2000]
const communications: ReadonlyArray<Request['communication']> = [
  { pattern: 'all-to-all', share: 500 },
  { pattern: 'ring', share: 150 },
  undefined,
]

/** Draws all fields of a request that are not given. */
export function drawRequest(draw: Draw, nodes: number, purpose: Request['purpose'], now: number): Request {
  return {
    purpose,
    job: `${1 + draw.below(1000)}`,
    nodes,
    now,
    submitted: Math.max(0, now - draw.pick([0, MINUTE, DAY])),
    estimate: draw.pick(estimates),
    bandwidth: draw.pick(bandwidths),
    communication: draw.pick(communications),
  }
}

/** Draws all fields of a request again, or only one. @param machine number of nodes of the machine */
export function drawOther(draw: Draw, request: Request, machine: number): Request {
  const varied: Request = {
    purpose: draw.pick(['start', 'reserve', 'backfill']),
    job: draw.pick([request.job, 'another', '1']),
    nodes: draw.pick([request.nodes, 1 + draw.below(machine)]),
    now: draw.pick([...startTimes, request.now + draw.below(30 * DAY)]),
    submitted: draw.pick([0, request.now]),
    estimate: draw.pick(estimates),
    bandwidth: draw.pick(bandwidths),
    communication: draw.pick(communications),
  }
  const field = draw.pick(Object.keys(varied) as Array<keyof Request>)
  const other = draw.once(2) ? varied : { ...request, [field]: varied[field] }
  return { ...other, submitted: Math.min(other.submitted, other.now) }
}
