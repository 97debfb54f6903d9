// Sets the wall clock of a process by the milliseconds in a file, which may change at any time. Monotonic clocks stay.
//   CLOISTER_SOAK_CLOCK=FILE node --import ./set-clock.mjs PROGRAM
import { readFileSync } from 'node:fs'

let shift = 0
const read = () => {
  shift = Number(readFileSync(process.env.CLOISTER_SOAK_CLOCK, 'utf8'))
}
read()
setInterval(read, 100).unref()
const Real = Date
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shift)
    else super(...given)
  }
  static now() {
    return Real.now() + shift
  }
}
