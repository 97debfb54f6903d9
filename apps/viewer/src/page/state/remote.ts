import { unpack } from '../../run/packing.ts'
import type { Side } from '../../run/sides.ts'
import type { Answerer, QuestionName, Questions } from '../../run/questions.ts'

/** A question that the server did not answer, with its message. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/** Sends questions to the server of the page. @param side which of its logs */
export function remoteAnswerer(side: Side): Answerer {
  return {
    async ask<Name extends QuestionName>(
      name: Name,
      question: Questions[Name]['ask'],
      signal?: AbortSignal,
    ): Promise<Questions[Name]['answer']> {
      const address = `./run/${side}/${name}?q=${encodeURIComponent(JSON.stringify(question))}`
      const response = await fetch(address, signal === undefined ? {} : { signal }).catch(() => {
        throw new AnswerError('the server does not answer: cloister view was ended')
      })
      if (!response.ok) throw new AnswerError(await response.text())
      const { json, arrays } = unpack(await response.arrayBuffer())
      return (
        json === null ? null : Array.isArray(json) ? json : { ...(json as object), ...arrays }
      ) as Questions[Name]['answer']
    },
  }
}

/** Which logs the server has. */
export async function remoteSides(): Promise<ReadonlyArray<Side>> {
  const response = await fetch('./sides')
  return (await response.json()) as ReadonlyArray<Side>
}
