/** Type of a column's array. */
export type ColumnKind = Float64ArrayConstructor | Int32ArrayConstructor | Uint8ArrayConstructor

/** The arrays of columns, by name. */
export type ColumnArrays<Kinds extends Readonly<Record<string, ColumnKind>>> = {
  [Name in keyof Kinds]: InstanceType<Kinds[Name]>
}

const FIRST_CAPACITY = 1024

/** Columns of numbers that grow together, row by row. Even a million rows need only one array for each column. */
export class Columns<Kinds extends Readonly<Record<string, ColumnKind>>> {
  /** Number of rows. The arrays may be longer. */
  length = 0
  /** Arrays of the columns. Adding a row may replace the arrays. */
  readonly of: ColumnArrays<Kinds>
  readonly #kinds: Kinds
  #capacity = FIRST_CAPACITY

  /** @param stored value of `stored` of earlier columns; absent for columns without rows */
  constructor(kinds: Kinds, stored?: ColumnArrays<Kinds>) {
    this.#kinds = kinds
    this.of = Object.fromEntries(
      Object.entries(kinds).map(([name, Kind]) => [name, stored?.[name] ?? new Kind(FIRST_CAPACITY)]),
    ) as ColumnArrays<Kinds>
    if (stored !== undefined) this.length = this.#capacity = Object.values(stored)[0].length
  }

  /** Adds a row of zeros and returns the number of the row. */
  add(): number {
    if (this.length === this.#capacity) this.#grow()
    return this.length++
  }

  /** Views of the columns up to the last row; later changes show in a view until an added row replaces the arrays. */
  get stored(): ColumnArrays<Kinds> {
    return Object.fromEntries(
      Object.entries(this.of).map(([name, array]) => [name, array.subarray(0, this.length)]),
    ) as ColumnArrays<Kinds>
  }

  #grow(): void {
    this.#capacity = Math.max(FIRST_CAPACITY, 2 * this.#capacity)
    for (const [name, Kind] of Object.entries(this.#kinds)) {
      const larger = new Kind(this.#capacity)
      larger.set(this.of[name])
      this.of[name as keyof Kinds] = larger as InstanceType<Kinds[keyof Kinds]>
    }
  }
}

/**
 * Columns in which many rows have no value: NaN, or 0 in a column of integers. An array ends after the last row with a
 * value, or later, so a column without values needs no memory.
 */
export class RareColumns<Kinds extends Readonly<Record<string, ColumnKind>>> {
  readonly #of: ColumnArrays<Kinds>
  readonly #kinds: Kinds

  /** @param stored value of `stored` of earlier columns; absent for columns without rows */
  constructor(kinds: Kinds, stored?: ColumnArrays<Kinds>) {
    this.#kinds = kinds
    this.#of = Object.fromEntries(
      Object.entries(kinds).map(([name, Kind]) => [name, stored?.[name] ?? new Kind(0)]),
    ) as ColumnArrays<Kinds>
  }

  get(name: keyof Kinds, row: number): number {
    const array = this.#of[name]
    if (row < array.length) return array[row]
    return array instanceof Float64Array ? Number.NaN : 0
  }

  /** Sets the value of a row; undefined for no value. */
  set(name: keyof Kinds, row: number, value: number | undefined): void {
    if (row >= this.#of[name].length) {
      if (value === undefined) return
      this.#grow(name, row)
    }
    this.#of[name][row] = value ?? Number.NaN
  }

  /** Returns views of the columns up to row `rows`, exclusive; a later value may replace an array. */
  stored(rows: number): ColumnArrays<Kinds> {
    return Object.fromEntries(
      Object.entries(this.#of).map(([name, array]) => [name, array.subarray(0, rows)]),
    ) as ColumnArrays<Kinds>
  }

  #grow(name: keyof Kinds, row: number): void {
    const larger = new this.#kinds[name](Math.max(FIRST_CAPACITY, 2 * this.#of[name].length, row + 1))
    larger.set(this.#of[name])
    larger.fill(Number.NaN, this.#of[name].length)
    this.#of[name] = larger as InstanceType<Kinds[keyof Kinds]>
  }
}
