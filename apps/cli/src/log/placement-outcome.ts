import type { Outcome } from '@cloister/placement'
import { formatIdset } from '@cloister/topology'
import { describeNearest } from '@cloister/eventlog'

/** Describes the answer of a policy to a request in a few words: nodes and links, or the reason of the refusal. */
export function describeOutcomeOf(outcome: Outcome): string {
  if (outcome.ok) {
    const links = outcome.links.map((level) => formatIdset(level)).filter((ids) => ids !== '')
    return `nodes ${formatIdset(outcome.nodes)}${links.length === 0 ? '' : `, links ${links.join(' and ')}`}`
  }
  switch (outcome.code) {
    case 'too-few-nodes':
      return `refused: only ${outcome.free} nodes are free`
    case 'no-placement':
      return `refused: ${outcome.constraint}${outcome.nearest === undefined ? '' : ` (${describeNearest(outcome.nearest)})`}`
    case 'search-bound':
      return `gave up the search after ${outcome.steps} steps`
    case 'never':
      return `never on this machine: ${outcome.constraint}`
  }
}
