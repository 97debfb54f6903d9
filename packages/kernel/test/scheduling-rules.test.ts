import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatDiscipline,
  loggedQueue,
  optionsOfRules,
  parseDiscipline,
  type QueueDiscipline,
  schedulingRules,
} from '../src/index.ts'

const window = fc.integer({ min: 1, max: 999_999_999 })
const movable = fc.constantFrom({}, { reservation: 'movable' as const })
const windowOrder = fc.constantFrom(
  {},
  ...(['largest', 'smallest', 'shortest'] as const).map((each) => ({ windowOrder: each })),
)
const discipline: fc.Arbitrary<QueueDiscipline> = fc.oneof(
  fc.constant({ backfill: 'none' as const }),
  window.map((jobs) => ({ backfill: 'unreserved' as const, window: jobs })),
  fc
    .tuple(window, fc.constantFrom({}, { passing: 'early' as const }, { passing: 'in-order' as const }))
    .map(([jobs, passing]) => ({ backfill: 'counting' as const, window: jobs, ...passing })),
  fc.tuple(window, movable).map(([jobs, moves]) => ({ backfill: 'conservative' as const, window: jobs, ...moves })),
  fc
    .tuple(window, windowOrder)
    .map(([jobs, tried]) => ({ backfill: 'easy' as const, window: jobs, kill: true as const, ...tried })),
  fc
    .tuple(window, windowOrder, movable, fc.boolean(), fc.integer({ min: 1, max: 99 }))
    .map(([jobs, tried, moves, replan, least]) => ({
      backfill: 'easy' as const,
      window: jobs,
      ...tried,
      ...moves,
      ...(replan ? { replan: true as const } : {}),
      ...('reservation' in moves && least > 1 ? { moveMinNodes: least } : {}),
    })),
)

describe('the rules of a scheduler', () => {
  it('the rules of a scheduler are the same after a translation into options of a run and back', () => {
    const rules = fc.record({
      queue: discipline,
      estimates: fc.constantFrom('exact' as const, 'requested' as const),
      overrun: fc.constantFrom('kill' as const, 'run-on' as const),
      requeue: fc.boolean(),
      refusals: fc.boolean(),
    })
    fc.assert(
      fc.property(rules, (each) => {
        expect(schedulingRules(optionsOfRules(each, 'trace'))).toEqual(each)
      }),
    )
  })

  it('the queue discipline omits options without effect: reservations under fcfs, movable ones under kill', () => {
    const without = { reservation: 'fixed', windowOrder: 'largest', replan: true, moveMinNodes: 9 } as const
    expect(loggedQueue({ queue: 'fcfs', ...without })).toEqual({ backfill: 'none' })
    expect(loggedQueue({ queue: 'easy:5,kill', replan: true, moveMinNodes: 9 })).toEqual({
      backfill: 'easy',
      window: 5,
      kill: true,
    })
  })

  it('schedulingRules throws a RangeError for the queue of a foreign scheduler', () => {
    const external = { arrivals: 'trace', queue: 'external', estimates: 'requested' } as const
    expect(loggedQueue(external)).toEqual({ backfill: 'external' })
    expect(() => schedulingRules(external)).toThrow(
      'the queue is external: the rules of a foreign scheduler are unknown',
    )
  })
})

describe('the spelling of a queue discipline', () => {
  it('parseDiscipline reads each text of formatDiscipline as the same discipline', () => {
    fc.assert(
      fc.property(discipline, (queue) => {
        expect(loggedQueue({ queue: formatDiscipline(queue), reservation: 'fixed' })).toMatchObject(
          parseDiscipline(formatDiscipline(queue))!,
        )
      }),
    )
  })

  it.each(['', 'easy', 'easy:0', 'fcfs,kill', 'easy:5,kill,early', 'conservative:5,kill', 'fcfs,sjf', 'easy:5,,kill'])(
    'parseDiscipline returns undefined for the text "%s"',
    (text) => expect(parseDiscipline(text)).toBeUndefined(),
  )
})
