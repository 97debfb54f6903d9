import { isDeepStrictEqual } from 'node:util'
import { resized, someResources } from '../draws.ts'
import type { Defect, Property } from '../questions.ts'
import { takeReads } from '../reads.ts'
import { plain, resourcesText, stateOf } from '../scenes.ts'
import { replacedFunction } from '../originals.ts'
import type { Outcome } from '../../contract.ts'
import type { ClusterState } from '../../state.ts'

/** Property of the basis: an answer that depends on the clock differs in every test. */
export const noReads: Property = {
  name: 'place reads no clock, no random number and no environment',
  isBasis: true,
  defect() {
    const names = takeReads()
    if (names.length === 0) return undefined
    return {
      message: `place reads ${names.join(', ')}, but an answer may depend on the state and the request alone; a request has the time in now`,
      test: ['expect(readsOf(() => ask(placer, state, asked))).toEqual([])'],
    }
  },
}

/** Property of the basis: a policy that changes objects of the caller falsifies the answers of all states. */
export const sharedUntouched: Property = {
  name: 'place changes neither the topology nor the functions of a state',
  isBasis: true,
  defect({ subject: { machine }, state }) {
    const replaced = replacedFunction(state)
    if (replaced !== undefined)
      return {
        message: `${replaced} during a call of place`,
        test: ['expect(replacedFunction(state)).toBeUndefined()'],
      }
    const part = machine.original.changedPart()
    if (part === undefined) return undefined
    return { message: `place changed ${part}`, test: [`expect(topology).toEqual(${machine.code})`] }
  },
}

/** Property of the basis: after a change of the state, every later answer would look wrong. */
export const untouched: Property = {
  name: 'place changes neither the state nor its index, and answers a repeated request equally',
  isBasis: true,
  defect({ asker, scene, state, before, request, outcome }) {
    const again = plain(asker.ask(state, scene, request))
    if (again !== plain(outcome)) {
      return {
        message: `the policy answers the repeated request with ${again}; expected the first answer, ${plain(outcome)}`,
        test: ['expect(ask(placer, state, asked)).toEqual(outcome)'],
      }
    }
    if (!state.isEqual(before)) return changed('the state')
    if (isDeepStrictEqual(state.index, before.index)) return undefined
    // The hook that copies an index to a fork may be at fault instead, which is the subject of another property.
    const built = asker.placer.index?.build(state)
    return isDeepStrictEqual(before.index, built) && !isDeepStrictEqual(state.index, built)
      ? changed('the index')
      : undefined
  },
}

function changed(what: 'the state' | 'the index'): Defect {
  return {
    message: `place changed ${what}`,
    test: [
      'const before = state.fork()',
      'ask(placer, state, asked)',
      what === 'the state'
        ? 'expect(state.isEqual(before)).toBe(true)'
        : 'expect(state.index).toEqual(placer.index?.build(state))',
    ],
  }
}

/** Number of further requests: at least as many as the arrays that a faulty policy is likely to reuse in turn. */
const FURTHER = 4

export const placementUnchanged: Property = {
  name: 'the policy never writes to the arrays of a returned placement again',
  costs: true,
  defect({ asker, scene, state, request, outcome }) {
    const returned = asker.returned.find(({ was }) => was === outcome)
    if (returned === undefined || !outcome.ok) return undefined
    const was = plain(outcome)
    // The check withholds the nodes and links of the placement. Later placements then have different nodes.
    const rest = state.fork()
    rest.withhold(outcome, outcome.bandwidth)
    const { bandwidth } = outcome
    const withheld = { nodes: outcome.nodes, links: outcome.links, ...(bandwidth === undefined ? {} : { bandwidth }) }
    const sceneOfRest = { ...scene, withheld: [...scene.withheld, withheld] }
    for (let nodes = 1; nodes <= FURTHER; nodes++) asker.ask(rest, sceneOfRest, resized(request, nodes))
    rest.drop()
    const now = plain(returned.placement)
    if (now === was) return undefined
    return {
      message: `the policy changed the returned placement ${was} during later requests to ${now}`,
      test: [
        'const was = structuredClone(outcome)',
        'const rest = state.fork()',
        'if (outcome.ok) rest.withhold(structuredClone(outcome), outcome.bandwidth)',
        `for (let nodes = 1; nodes <= ${FURTHER}; nodes++) ask(placer, rest, { ...asked, nodes })`,
        'expect(outcome).toEqual(was)',
      ],
    }
  },
}

export const index: Property = {
  name: 'the index of a state, or of a fork with withheld resources, equals a rebuilt index',
  applies: ({ placer }) => placer.index !== undefined,
  costs: true,
  defect({ subject: { topology }, asker: { placer }, state, draw }) {
    const isRebuilt = (one: ClusterState<any>): boolean => isDeepStrictEqual(one.index, placer.index!.build(one))
    if (!isRebuilt(state)) return differs('the index of the state differs from a rebuilt index', [], 'state')
    const fork = state.fork()
    const withheld = someResources(topology, draw, 4)
    const forking = ['const fork = state.fork()']
    try {
      if (!isRebuilt(fork)) return differs('the index of a fork differs from a rebuilt index', forking, 'fork')
      forking.push(`fork.withhold(${resourcesText(withheld)})`)
      fork.withhold(withheld)
      if (!isRebuilt(fork))
        return differs(
          'the index of a fork differs from a rebuilt index after resources were withheld',
          forking,
          'fork',
        )
    } finally {
      fork.drop()
    }
    return isRebuilt(state)
      ? undefined
      : differs('withholding resources on a fork changed the index of the original state', forking, 'state')
  },
}

function differs(message: string, before: ReadonlyArray<string>, of: string): Defect {
  return { message, test: [...before, `expect(${of}.index).toEqual(placer.index!.build(${of}))`] }
}

export const equalStates: Property = {
  name: 'equal states give equal answers, also on forks and from other placers',
  standsOn: [placementUnchanged.name, index.name],
  costs: true,
  defect({ subject: { topology }, asker, other, scene, state, request, outcome }) {
    const fork = state.fork()
    const onFork = asker.ask(fork, scene, request)
    fork.drop()
    const forked = difference(onFork, outcome, 'on a fork', 'ask(placer, state.fork(), asked)')
    if (forked !== undefined) return forked
    const another = other()
    return difference(
      another.ask(stateOf(another.placer, topology, scene), scene, request),
      outcome,
      'from another placer, in an equal state with another history',
      'ask(another, stateOf(another, topology, scene), asked)',
    )
  },
}

function difference(actual: Outcome, expected: Outcome, when: string, code: string): Defect | undefined {
  if (plain(actual) === plain(expected)) return undefined
  return {
    message: `${when}, the answer is ${plain(actual)}; expected the answer in the first state, ${plain(expected)}`,
    test: [
      ...(code.includes('another') ? ['const another = bindPolicy(policy, topology, config).placer'] : []),
      `expect(${code}).toEqual(outcome)`,
    ],
  }
}
