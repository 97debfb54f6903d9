import { received } from '../../run/moment-delta.ts'
import { type Packed, unpack } from '../../run/packing.ts'
import type { Side } from '../../run/sides.ts'
import { type Answerer, isPolicyQuestion, type Moment, type QuestionName, type Questions } from '../../run/questions.ts'
import { Turns } from './turns.ts'

/** The server did not answer a question. The message is the server's. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/** Policies answer slowly. Limits on their questions leave some of a browser's six connections to quick answers. */
const turns = { ofMoment: new Turns(3), ofTracks: new Turns(1) }

/**
 * Returns an answerer that asks the server of the page. @param side the server's log @param generation generation of
 * the run; absent: the latest
 */
export function remoteAnswerer(side: Side, generation?: number): Answerer {
  /** Last moment; the server sends only the differences to this moment. */
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
    throw new AnswerError('the server does not answer: cloister view was ended')
  })
  // Status 202 means that there is no answer yet.
  if (!response.ok || response.status === 202) throw new AnswerError(await response.text())
  return unpack(await response.arrayBuffer())
}

/** Returns the queue of a question. Questions about the moment at the cursor name a record. */
function turnsOf(asked: object): Turns {
  return 'seq' in asked ? turns.ofMoment : turns.ofTracks
}

function nameOf(moment: Packed | undefined): string {
  return (moment?.json as Moment | undefined)?.state ?? ''
}

/** Returns the sides of the server's logs. */
export async function remoteSides(): Promise<ReadonlyArray<Side>> {
  const response = await fetch('./sides')
  return (await response.json()) as ReadonlyArray<Side>
}
