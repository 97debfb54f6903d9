// The worker that checks types: the compiler in it takes a while to load, and no other page needs it.
import { declarations } from 'site:contract-declarations'
import { TypeChecker, type TypeFault } from './type-checker.ts'

/** What the page asks, and what it is answered. */
export interface TypeQuestion {
  readonly at: number
  readonly code: string
}
export interface TypeAnswer {
  readonly at: number
  readonly faults: ReadonlyArray<TypeFault>
}

const checker = new TypeChecker(declarations)

onmessage = ({ data: { at, code } }: MessageEvent<TypeQuestion>) => {
  const answer: TypeAnswer = { at, faults: checker.faults(code) }
  postMessage(answer)
}
