// Speaks the protocol of programs for a policy in TypeScript: node adapter.ts MODULE [MISTAKE]
import { createInterface } from 'node:readline'
import { type Allocation, ClusterState, type Outcome, type Placer, type PlacementPolicy } from '@cloister/placement'
import { readsOf } from '@cloister/placement/checks'
import { parseIdset, type Topology, topologyFromJson } from '@cloister/topology'
import type { Changes, WhatIf } from '../../src/node/programs/told-state.ts'

const [module, mistake] = process.argv.slice(2)
const { default: policy } = (await import(module)) as { readonly default: PlacementPolicy<unknown, unknown> }

interface Placing {
  readonly placer: Placer<unknown>
  readonly state: ClusterState<unknown>
}

const placers = new Map<number, Placing>()
/** Answers of a program that remembers them by placer and numbers of nodes, and the number of questions so far. */
const remembered = new Map<string, Outcome>()
let questions = 0

interface Parts {
  readonly nodes?: string
  readonly links?: ReadonlyArray<string>
}

const partsOf = ({ nodes = '', links = [] }: Parts) => ({
  nodes: parseIdset(nodes),
  links: links.map((ids) => parseIdset(ids)),
})

function allocationOf({
  job,
  end,
  order,
  bandwidth,
  communicates,
  ...parts
}: NonNullable<Changes['started']>[number]): Allocation {
  return {
    job,
    ...partsOf(parts),
    estimatedEnd: end,
    startOrder: order,
    ...(bandwidth !== undefined && { bandwidth }),
    ...(communicates && { communicates }),
  }
}

function fold(state: ClusterState<unknown>, changes: WhatIf): void {
  const running = (job: string) => state.running.find((each) => each.job === job)!
  for (const job of changes.ended ?? []) state.release(running(job))
  for (const job of changes.released ?? []) {
    const allocation = typeof job === 'string' ? running(job) : allocationOf(job)
    if (typeof job === 'string') state.release(allocation)
    state.willHaveEnded(allocation)
  }
  for (const job of changes.started ?? []) state.occupy(allocationOf(job))
  for (const [job, end] of Object.entries(changes.ends ?? {})) state.reestimate(running(job), end)
  if (changes.unblocked !== undefined) state.restore(partsOf(changes.unblocked))
  if (changes.blocked !== undefined) state.fail(partsOf(changes.blocked))
  for (const [level, link, bandwidth] of changes.use ?? [])
    state.withhold({ nodes: [], links: [...Array<Array<number>>(level).fill([]), [link]] }, bandwidth)
}

/** Returns the topology of a message; the message has no shape for a tree that is no regular tree. */
function topologyOf(message: any): Topology {
  if ('pgft' in message || 'envelope' in message) return topologyFromJson(message)
  const { firstNodeOfLeaf, levels } = message
  const sizes = (firsts: ReadonlyArray<number>): Array<number> => firsts.slice(1).map((first, at) => first - firsts[at])
  const parents = levels
    .slice(0, -1)
    .map(({ firstPort, parentOfLink }: { firstPort: ReadonlyArray<number>; parentOfLink: ReadonlyArray<number> }) =>
      sizes(firstPort).map((ports, sw) => parentOfLink.slice(firstPort[sw], firstPort[sw] + ports)),
    )
  return topologyFromJson({ ...message, graph: { leaves: sizes(firstNodeOfLeaf), parents } })
}

function answer(message: any): object {
  switch (message.type) {
    case 'hello':
      return { contract: policy.contract, name: policy.name, version: policy.version }
    case 'config': {
      const result = policy.config['~standard'].validate(message.config) as { value?: unknown; issues?: unknown }
      return result.issues === undefined ? { config: result.value } : { issues: result.issues }
    }
    case 'make': {
      placers.delete(message.forget)
      const topology = topologyOf(message.topology)
      const placer = policy.make(topology, message.config)
      if ('unsupported' in placer) return { unsupported: placer.unsupported }
      const { claims, linkCapacity, placesByKey, index } = placer
      const state = new ClusterState<unknown>(topology, { index, linkCapacity: linkCapacity ?? 0 })
      placers.set(message.placer, { placer, state })
      const key = placer.requestKey === undefined ? undefined : ['nodes', 'bandwidth']
      return { claims, linkCapacity, placesByKey, key }
    }
    default: {
      const { placer, state: kept } = placers.get(message.placer)!
      fold(kept, (message.changes ?? {}) as Changes)
      if (mistake === 'writes-to-the-topology' && ++questions >= 100) kept.topology.firstNodeOfLeaf[0] = questions % 2
      const isFork = message.whatIf !== undefined && mistake !== 'stale-index'
      const state = isFork ? kept.fork() : kept
      if (isFork) fold(state, message.whatIf)
      const { request } = message
      // The scheduler cannot ask a program for its bound, so the program refuses the jobs above the bound itself.
      const most = placer.mostNodes?.(state, state.index) ?? Infinity
      let outcome: Outcome & { reads?: ReadonlyArray<string> } = { ok: false, code: 'too-few-nodes', free: most }
      const reads =
        request.nodes > most ? [] : readsOf(() => void (outcome = placer.place(state, request, state.index)))
      if (state !== kept) state.drop()
      if (mistake === 'writes-to-its-answers') {
        const key = `${message.placer} ${request.nodes} ${state.freeNodes}`
        outcome = remembered.get(key) ?? outcome
        remembered.set(key, outcome)
      }
      if (reads.length > 0) outcome = { ...outcome, reads }
      if (outcome?.ok !== true) return outcome
      const { nodes, links, ranks } = outcome
      return {
        ...outcome,
        nodes: Array.from(nodes),
        links: links.map((ids) => Array.from(ids)),
        ...(ranks && { ranks: Array.from(ranks) }),
      }
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  process.stdout.write(`${JSON.stringify({ id: message.id, ...answer(message) })}\n`)
}
