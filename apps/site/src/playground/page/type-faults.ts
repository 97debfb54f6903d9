// Asks the worker that checks types, which is fetched with the first question.
import type { TypeFault } from '../type-checker.ts'
import type { TypeAnswer, TypeQuestion } from '../types-worker.ts'

/** Checks code in a worker of its own until it is ended. */
export class TypeFaults {
  readonly #worker = new Worker('./types.js')
  readonly #asked = new Map<number, (faults: ReadonlyArray<TypeFault>) => void>()
  #at = 0

  constructor() {
    this.#worker.onmessage = ({ data: { at, faults } }: MessageEvent<TypeAnswer>) => {
      this.#asked.get(at)?.(faults)
      this.#asked.delete(at)
    }
  }

  /** What is wrong in some code. A worker that did not load has nothing to say: the code still runs. */
  of(code: string): Promise<ReadonlyArray<TypeFault>> {
    const question: TypeQuestion = { at: this.#at++, code }
    return new Promise((resolve) => {
      this.#asked.set(question.at, resolve)
      this.#worker.postMessage(question)
    })
  }

  end(): void {
    this.#worker.terminate()
  }
}
