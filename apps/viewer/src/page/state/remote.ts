import { received } from '../../run/moment-delta.ts'
import { type Packed, unpack } from '../../run/packing.ts'
import type { Side } from '../../run/sides.ts'
import { type Answerer, isPolicyQuestion, type Moment, type QuestionName, type Questions } from '../../run/questions.ts'
import { Turns } from './turns.ts'

/** A question that the server did not answer, with its message. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/** The policy takes its time: it leaves some of the six connections of a browser to what is answered at once. */
const turns = { ofMoment: new Turns(3), ofTracks: new Turns(1) }

/** Sends questions to the server of the page. @param side which of its logs @param generation of its runs; absent: the latest */
export function remoteAnswerer(side: Side, generation?: number): Answerer {
  /** Of moments only what differs is sent. */
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
  // 202: there is none yet.
  if (!response.ok || response.status === 202) throw new AnswerError(await response.text())
  return unpack(await response.arrayBuffer())
}

/** Those about the moment at the cursor name its record. */
function turnsOf(asked: object): Turns {
  return 'seq' in asked ? turns.ofMoment : turns.ofTracks
}

function nameOf(moment: Packed | undefined): string {
  return (moment?.json as Moment | undefined)?.state ?? ''
}

/** Which logs the server has. */
export async function remoteSides(): Promise<ReadonlyArray<Side>> {
  const response = await fetch('./sides')
  return (await response.json()) as ReadonlyArray<Side>
}
