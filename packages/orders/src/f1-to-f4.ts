import type { QueueOrder } from '@cloister/ordering'
import { log10 } from './logarithms.ts'
import { plainOrder } from './plain.ts'

/**
 * Returns one of the orders that Carastan-Santos and de Camargo (SC 2017) found by regression, in seconds and nodes:
 * `part` of length and size, plus a weight times log₁₀ of the submission. Times below 1 s count as 1 s.
 */
function learned(name: string, part: (seconds: number, nodes: number) => number, weight: number): QueueOrder {
  return plainOrder(name, true, ({ submitted, estimate, size }, row) => {
    const arrival = log10(Math.max(submitted[row] / 1000, 1))
    return part(Math.max(estimate[row] / 1000, 1), size[row]) + weight * arrival
  })
}

/** F1: log₁₀(estimate) · nodes + 870 · log₁₀(submission). */
export const f1: QueueOrder = learned('f1', (seconds, nodes) => log10(seconds) * nodes, 870)
/** F2: √estimate · nodes + 25,600 · log₁₀(submission). */
export const f2: QueueOrder = learned('f2', (seconds, nodes) => Math.sqrt(seconds) * nodes, 25_600)
/** F3: estimate · nodes + 6,860,000 · log₁₀(submission). */
export const f3: QueueOrder = learned('f3', (seconds, nodes) => seconds * nodes, 6_860_000)
/** F4: estimate · √nodes + 530,000 · log₁₀(submission). */
export const f4: QueueOrder = learned('f4', (seconds, nodes) => seconds * Math.sqrt(nodes), 530_000)
