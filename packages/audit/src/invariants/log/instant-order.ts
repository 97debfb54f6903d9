import type { Kill, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

const FINISHES = 0
const DOWN_UP = 1
const CANCELS = 2
const SUBMITS = 3
const DECISIONS = 4
const PHASE_NAMES = ['finishes', 'down and up', 'cancels', 'submits', 'decisions']
const KILL_PHASES: { readonly [Code in Kill['code']]: number } = {
  estimate: FINISHES,
  'node-down': DOWN_UP,
  cancel: CANCELS,
  reservation: DECISIONS,
  preempted: DECISIONS,
  requeued: DECISIONS,
}

export const instantOrder: Invariant = {
  name: 'instant-order',
  property:
    'The records of an instant come in five phases: finishes, down and up, cancels, submits, decisions. A kill comes in the phase of its code: `estimate` among the finishes, `node-down` after its down record, `cancel` among the cancels, `reservation` among the decisions. Finishes come in submit order of their jobs. Cancels come in submit order. The kills of one phase or of one down record come in submit order, except kills for a reservation. If a job starts and ends in the same instant, a further round of the instant follows: ends of such jobs, then decisions.',
  begin(model, tally) {
    let instant = 0
    let round = 1
    let phase = FINISHES
    const lastOrder = { finish: -1, kill: -1, cancel: -1 }

    const startRound = (number: number): void => {
      round = number
      phase = FINISHES
      lastOrder.finish = lastOrder.kill = lastOrder.cancel = -1
    }
    const enter = (record: LogRecord, to: number): void => {
      tally.tested()
      if (model.instant !== instant) {
        instant = model.instant
        startRound(1)
      }
      const startedNow = model.job?.allocation?.start === model.time
      if (phase === DECISIONS && to === FINISHES && startedNow) startRound(round + 1)
      else if (to < phase)
        tally.violated(
          record,
          `the ${record.type} belongs to the phase "${PHASE_NAMES[to]}", but comes after the phase "${PHASE_NAMES[phase]}" of the instant`,
        )
      else if (round > 1 && to === FINISHES && !startedNow) {
        tally.violated(record, `job ${model.job?.id} ends in round ${round} of an instant at which it did not start`)
      } else if (round > 1 && to > FINISHES && to < DECISIONS) {
        tally.violated(
          record,
          `the ${record.type} comes in round ${round} of an instant; only the first round may have the phase "${PHASE_NAMES[to]}"`,
        )
      }
      if (to > phase) {
        phase = to
        lastOrder.kill = -1
      }
    }
    const inSubmitOrder = (record: LogRecord, type: keyof typeof lastOrder): void => {
      if (model.job === undefined) return
      if (model.job.order < lastOrder[type])
        tally.violated(
          record,
          `the ${type} is not in submit order: a job that was submitted later has an earlier ${type}`,
        )
      lastOrder[type] = model.job.order
    }
    const decide = (record: LogRecord): void => enter(record, DECISIONS)
    return {
      finish(record) {
        enter(record, FINISHES)
        inSubmitOrder(record, 'finish')
      },
      kill(record) {
        enter(record, KILL_PHASES[record.code])
        if (record.code !== 'reservation') inSubmitOrder(record, 'kill')
      },
      down(record) {
        enter(record, DOWN_UP)
        lastOrder.kill = -1
      },
      up: (record) => enter(record, DOWN_UP),
      cancel(record) {
        enter(record, CANCELS)
        inSubmitOrder(record, 'cancel')
      },
      submit: (record) => enter(record, SUBMITS),
      // A job that can never run is rejected at its submit or in the scheduling pass after the submits.
      reject: (record) => enter(record, model.instant === instant ? Math.max(phase, SUBMITS) : SUBMITS),
      reserve: decide,
      allocate: decide,
      refuse: decide,
    }
  },
}
