/** Room that pictures over time leave on their left, so that times stand above one another. CSS pixels. */
export const GUTTER = 64
/** Height of the times above the jobs. */
export const TIME_AXIS = 20
