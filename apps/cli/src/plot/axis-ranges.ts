import type { Axis, Figure, Look } from '@cloister/figures'
import { parseLength } from '@cloister/metrics'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'

type Range = readonly [from: number, to: number]

/** Kind of the values of an axis: lengths of time with their unit, shares, or other numbers. */
interface Values {
  /** Seconds in a unit of the axis. */
  readonly seconds?: number | undefined
  readonly isShare?: boolean
}

/** Parses the value of `--x-range` or `--y-range`, such as `1d:3d`, `60%:100%` or `0:500`. */
export const rangeOf = (
  option: 'x-range' | 'y-range',
  text: string | undefined,
  { seconds, isShare = false }: Values,
): Effect.Effect<Range | undefined, Problem> => {
  if (text === undefined) return Effect.succeed(undefined)
  const ends = text.split(':').map((end) => {
    if (seconds !== undefined) return (parseLength(end) ?? Number.NaN) / seconds
    const [, number, percent] = /^(-?\d+(?:\.\d+)?)(%?)$/.exec(end) ?? []
    if (number === undefined || (percent !== '' && !isShare)) return Number.NaN
    return percent === '' ? Number(number) : Number(number) / 100
  })
  const [from, to] = ends
  if (ends.length === 2 && from < to) return Effect.succeed([from, to])
  const example =
    seconds !== undefined ? 'lengths of time such as 1d:3d or 0:90min' : isShare ? '0.5:1 or 50%:100%' : '0:500'
  return Effect.fail(new Problem(`--${option}: found ${text}, expected FROM:TO with FROM below TO: ${example}`))
}

/** Parses the ranges of the axes of a figure. */
export const rangesOf = Effect.fnUntraced(function* (
  figure: Figure,
  options: { readonly 'x-range': string | undefined; readonly 'y-range': string | undefined },
) {
  const xRange = yield* rangeOf('x-range', options['x-range'], valuesOf(figure.x))
  const yRange = yield* rangeOf('y-range', options['y-range'], valuesOf(figure.panels[0].y))
  const look: Look = { ...(xRange === undefined ? {} : { xRange }), ...(yRange === undefined ? {} : { yRange }) }
  for (const [option, range, axis] of [
    ['x-range', xRange, figure.x],
    ['y-range', yRange, figure.panels[0].y],
  ] as const)
    if (range !== undefined && axis.scale === 'log' && range[0] < 0)
      return yield* new Problem(`--${option}: found a value below 0 for a logarithmic axis; add --scale linear`)
  return look
})

function valuesOf({ secondsInUnit, format }: Axis): Values {
  return { seconds: secondsInUnit, isShare: format === 'share' }
}
