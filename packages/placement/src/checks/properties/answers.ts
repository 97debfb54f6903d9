import type { NoAnswer } from '../asker.ts'
import type { Defect, Property } from '../question.ts'

/** Holds by itself where a question comes to a property at all: what gives no answer is seen when it is asked. */
export const answers: Property = {
  name: 'every request is answered, in time, with a placement or a refusal',
  standsOn: [],
  isBasis: true,
  applies: () => true,
  defect: () => undefined,
}

export function defectOf({ message, question: { scene, request } }: NoAnswer): Defect {
  return { message, test: ['expect(outcomeDefect(outcome)).toBeUndefined()'], scene, request }
}
