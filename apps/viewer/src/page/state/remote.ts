import { received } from '../../run/moment-delta.ts'
import { type Packed, unpack } from '../../run/packing.ts'
import type { Side } from '../../run/sides.ts'
import { type Answerer, isPolicyQuestion, type Moment, type QuestionName, type Questions } from '../../run/questions.ts'
import { Turns } from './turns.ts'

/** Error of a question without an answer. The message is the server's response, if the server responded. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/**
 * Limits on simultaneous questions to the policies of all runs, because policies answer slowly: 3 about the moment at
 * the cursor, 1 about tracks. Two of a browser's six connections remain for quick answers.
 */
const turns = { ofMoment: new Turns(3), ofTracks: new Turns(1) }

/** Returns an answerer that asks the server about a log. @param generation generation of the log; latest if absent */
export function remoteAnswerer(side: Side, generation?: number): Answerer {
  /** Last received state of a moment; the server sends only the differences to this state. */
  let moment: Packed | undefined
  return {
    async ask<Name extends QuestionName>(
      name: Name,
      question: Questions[Name]['ask'],
      signal?: AbortSignal,
    ): Promise<Questions[Name]['answer']> {
      const base = moment
      const asked = name === 'moment' ? { ...question, since: nameOf(base) } : question
      const about = generation === undefined || name === 'overview' ? '' : `&of=${generation}`
      const address = `./run/${side}/${name}?q=${encodeURIComponent(JSON.stringify(asked))}${about}`
      const request = (): Promise<Packed> => answerAt(address, signal)
      const answer = await (isPolicyQuestion(name) ? turnsOf(asked).run(request, signal) : request())
      const { json, arrays } = name === 'moment' ? (moment = received(base, answer)) : answer
      return (
        json === null ? null : Array.isArray(json) ? json : { ...(json as object), ...arrays }
      ) as Questions[Name]['answer']
    },
    of: (latest) => remoteAnswerer(side, latest),
  }
}

async function answerAt(address: string, signal: AbortSignal | undefined): Promise<Packed> {
  const response = await fetch(address, signal === undefined ? {} : { signal }).catch(() => {
    throw new AnswerError('the server does not answer: start cloister view again')
  })
  // Status 202 means that the server has no answer yet.
  if (!response.ok || response.status === 202) throw new AnswerError(await response.text())
  return unpack(await response.arrayBuffer())
}

/** A question to the policy about the moment at the cursor has the field `seq`; questions of tracks have a time. */
function turnsOf(asked: object): Turns {
  return 'seq' in asked ? turns.ofMoment : turns.ofTracks
}

function nameOf(moment: Packed | undefined): string {
  return (moment?.json as Moment | undefined)?.state ?? ''
}

/** Returns the letters of the runs whose logs the server has. */
export async function remoteSides(): Promise<ReadonlyArray<Side>> {
  const response = await fetch('./sides')
  return (await response.json()) as ReadonlyArray<Side>
}
