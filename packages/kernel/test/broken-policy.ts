import type { Outcome, Placement, PlacementPolicy, Placer, Request } from '@cloister/placement'

/** Wrong answer of a policy. If `places` is true, the wrong answer replaces only placements, not refusals. */
export interface BrokenWay {
  readonly code: string
  /** Pattern of the error's message. */
  readonly says: RegExp
  readonly places?: true
  readonly answer: (answer: Outcome, request: Request) => unknown
}

const thrown = (value: unknown): never => {
  throw value
}

export const brokenWays: Readonly<Record<string, BrokenWay>> = {
  'throws an error': {
    code: 'throws',
    says: /^place threw TypeError: .*reading 'leaf'/,
    answer: () => (undefined as unknown as { leaf: number }).leaf,
  },
  'throws a text': { code: 'throws', says: /^place threw "no leaf"$/, answer: () => thrown('no leaf') },
  'throws nothing': { code: 'throws', says: /^place threw undefined$/, answer: () => thrown(undefined) },
  'throws a value that cannot be shown': {
    code: 'throws',
    says: /^place threw a value that cannot be shown$/,
    answer: () =>
      thrown({
        get name() {
          return thrown('again')
        },
      }),
  },
  'returns nothing': {
    code: 'answer',
    says: /^place returned undefined \(nothing\); expected /,
    answer: () => undefined,
  },
  'returns a promise': {
    code: 'answer',
    says: /^place returned a promise \(/,
    answer: () => Promise.reject(new Error('later')),
  },
  'returns a number': { code: 'answer', says: /^place returned 7; expected /, answer: () => 7 },
  'returns a list of nodes': { code: 'answer', says: /^place returned an array; expected /, answer: () => [0, 1] },
  'returns an object whose ok is no boolean': {
    code: 'answer',
    says: /^place returned an object whose ok is "maybe"; expected /,
    answer: () => ({ ok: 'maybe' }),
  },
  'refuses with an unknown code': {
    code: 'answer',
    says: /^place returned a refusal with code "no-room"; expected too-few-nodes, /,
    answer: () => ({ ok: false, code: 'no-room' }),
  },
  'returns an object with a getter that throws': {
    code: 'throws',
    says: /^place threw Error: not yet$/,
    answer: () => ({
      get ok() {
        return thrown(new Error('not yet'))
      },
    }),
  },
  'returns a placement without links': {
    code: 'answer',
    says: /^place returned links undefined \(nothing\); expected a list of lists/,
    places: true,
    answer: (answer) => ({ ok: true, nodes: (answer as Placement).nodes }),
  },
  'gives a node that does not exist': {
    code: 'placement',
    says: /^gave job \d+ an invalid placement: node 5000 does not exist/,
    places: true,
    answer: (answer) => ({ ...answer, nodes: [5000] }),
  },
  'gives nodes that do not ascend': {
    code: 'placement',
    says: /^gave job \d+ an invalid placement: node 0 follows 1: ids must ascend/,
    places: true,
    answer: (answer) => ({ ...answer, nodes: [1, 0] }),
  },
  'gives a rank to a node outside of the placement': {
    code: 'placement',
    says: /^gave job \d+ an invalid placement: rank 0 is on node 5000, which is not in the placement/,
    places: true,
    answer: (answer) => ({ ...answer, ranks: [5000] }),
  },
  'gives ids that throw when they are read': {
    code: 'placement',
    says: /^gave job \d+ an invalid placement: reading the placement threw Error: hidden$/,
    places: true,
    answer: (answer) => ({
      ...answer,
      nodes: {
        length: 1,
        get 0() {
          return thrown(new Error('hidden'))
        },
      },
    }),
  },
}

/**
 * Returns the policy with wrong answers from the call `from` of `place` on (0: the first call). Each placer that the
 * policy makes counts its own calls.
 */
export function brokenPolicy(
  policy: PlacementPolicy<any, any>,
  from: number,
  way: Pick<BrokenWay, 'answer' | 'places'>,
): PlacementPolicy<any, any> {
  return {
    ...policy,
    make(topology, config) {
      const placer = policy.make(topology, config)
      if ('unsupported' in placer) return placer
      let asked = 0
      const place: Placer<any>['place'] = (state, request, index) => {
        const answer = placer.place(state, request, index)
        return asked++ < from || (way.places && !answer.ok) ? answer : (way.answer(answer, request) as Outcome)
      }
      return { ...placer, place }
    },
  }
}
