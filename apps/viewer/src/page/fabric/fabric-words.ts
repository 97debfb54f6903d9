import { describePath } from '@cloister/eventlog'
import { inRails, nodeName, parentOf, switchName } from '@cloister/topology'
import { noOwner } from '../../run/questions.ts'
import { count, freeInWords, nodesInWords, percent } from '../../words.ts'
import { faultOf } from '../state/faults.ts'
import type { RunClient } from '../state/run-client.ts'
import { drawnPath } from '../state/shown-routes.ts'
import { conflictSquares, givesLinks, isCapped, leafUseOf, ownersIn } from './fabric-drawing.ts'
import type { Square } from '@cloister/figures'
import type { podAt } from './pods.ts'

/** Describes a node or cable and its use at the cursor; empty without a known state. */
export function describeSquare(run: RunClient, square: Square): string {
  if (run.moment.value === undefined) return ''
  const { topology } = run
  const owner = ownersIn(run)(square)
  const holder =
    owner === noOwner.free
      ? square.kind === 'link' && !givesLinks(run)
        ? 'any job may use the link'
        : 'free'
      : owner === noOwner.down
        ? `down${square.kind === 'link' ? inRails(downRails(run, square)) : ''}`
        : square.kind === 'link' && isCapped(run)
          ? `${owner} MB/s in use`
          : owner === noOwner.unread
            ? 'held by a job that is not read yet'
            : `job ${run.ids[owner] ?? '?'}`
  if (square.kind === 'node')
    return `${nodeName(topology, square.node)} on ${switchName(topology, 0, topology.leafOfNode[square.node])}: ${holder}`
  return `${switchName(topology, square.level, square.sw)} port ${square.port} to ${switchName(topology, square.level + 1, parentOf(topology, square.level, square.sw, square.port))}: ${holder}`
}

/** Returns the rails in which a cable of a link is down; undefined if the link is down in all rails. */
function downRails(run: RunClient, { level, link }: Extract<Square, { readonly kind: 'link' }>): string | undefined {
  return run.moment.value!.downRails.find(([ofLevel, ofLink]) => ofLevel === level && ofLink === link)?.[2]
}

/** Describes the use of a pod, and of one of its leaves, at the cursor; empty without a known state. */
export function describePod(run: RunClient, { pod: at, leaf }: NonNullable<ReturnType<typeof podAt>>): string {
  if (run.moment.value === undefined) return ''
  const { firstLeafOfPod } = run.topology
  const leaves = leaf === undefined ? '' : `; ${useInWords(run, switchName(run.topology, 0, leaf), leaf, leaf + 1)}`
  return useInWords(run, `pod ${at}`, firstLeafOfPod[at], firstLeafOfPod[at + 1]) + leaves
}

function useInWords(run: RunClient, name: string, first: number, end: number): string {
  const { held, down, partialLeafFree } = leafUseOf(run)
  const of = (counts: Int32Array): number => counts.subarray(first, end).reduce((sum, each) => sum + each, 0)
  const { firstNodeOfLeaf } = run.topology
  const nodes = firstNodeOfLeaf[end] - firstNodeOfLeaf[first]
  const broken = of(down) === 0 ? '' : `, ${count(of(down))} down`
  return `${name}: ${count(of(held))} of ${nodesInWords(nodes)} held (${percent(of(held) / nodes, 0)}), ${count(of(partialLeafFree))} free on partly used leaves${broken}`
}

/** Describes the fabric for screen readers. */
export function describeFabric(run: RunClient): string {
  const moment = run.moment.value
  if (moment === undefined) return 'The state at the cursor is being looked up.'
  const { pods, podOfLeaf, leafOfNode } = run.topology
  const { partialLeafFree } = leafUseOf(run)
  const free = new Array<number>(pods).fill(0)
  moment.nodeOwners.forEach((owner, node) => {
    if (owner === noOwner.free) free[podOfLeaf[leafOfNode[node]]]++
  })
  const conflicts = conflictSquares(run).size
  const path = drawnPath.value?.run === run ? `Path: ${describePath(run.topology, drawnPath.value.path)}. ` : ''
  return `${path}${conflicts > 0 ? `${faultOf(run)?.failure === undefined ? `Conflict: ${conflicts} nodes and links are allocated twice` : `Fault: ${conflicts} nodes and links are marked`}. ` : ''}${freeInWords(moment.free)}, ${count(moment.down)} down. Free nodes by pod: ${free.map((nodes, each) => `${each}: ${nodes}`).join(', ')}. ${count(partialLeafFree.reduce((sum, each) => sum + each, 0))} free nodes are on partly used leaves.`
}
