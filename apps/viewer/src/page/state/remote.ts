import { received } from '../../run/moment-delta.ts'
import { type Packed, unpack } from '../../run/packing.ts'
import type { Side } from '../../run/sides.ts'
import type { Answerer, Moment, QuestionName, Questions } from '../../run/questions.ts'

/** A question that the server did not answer, with its message. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/** Sends questions to the server of the page. @param side which of its logs */
export function remoteAnswerer(side: Side): Answerer {
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
      const address = `./run/${side}/${name}?q=${encodeURIComponent(JSON.stringify(asked))}`
      const response = await fetch(address, signal === undefined ? {} : { signal }).catch(() => {
        throw new AnswerError('the server does not answer: cloister view was ended')
      })
      if (!response.ok) throw new AnswerError(await response.text())
      const answer = unpack(await response.arrayBuffer())
      const { json, arrays } = name === 'moment' ? (moment = received(base, answer)) : answer
      return (
        json === null ? null : Array.isArray(json) ? json : { ...(json as object), ...arrays }
      ) as Questions[Name]['answer']
    },
  }
}

function nameOf(moment: Packed | undefined): string {
  return (moment?.json as Moment | undefined)?.state ?? ''
}

/** Which logs the server has. */
export async function remoteSides(): Promise<ReadonlyArray<Side>> {
  const response = await fetch('./sides')
  return (await response.json()) as ReadonlyArray<Side>
}
