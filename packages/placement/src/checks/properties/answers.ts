import type { NoAnswer } from '../asker.ts'
import type { Defect, Property } from '../question.ts'

/** Property that holds for every question with an answer. `Asker` detects a missing answer and throws `NoAnswer`. */
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
