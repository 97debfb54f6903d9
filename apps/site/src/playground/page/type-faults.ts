// Asks the worker that checks the types of a policy's code. The first question fetches the worker's script.
import type { TypeFault } from '../type-checker.ts'
import type { TypeAnswer, TypeQuestion } from '../types-worker.ts'

/** Checks the types of code in a separate worker until `end` is called. */
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

  /** Returns the type errors in code. If the worker did not load, the promise never settles; no run waits for it. */
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
