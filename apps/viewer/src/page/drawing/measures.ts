/** Left margin of all views over time, in CSS pixels. The common margin aligns their times. */
export const GUTTER = 88
/** Height of the times above the jobs. */
export const TIME_AXIS = 20
/** Height of the lane of scheduling passes below the times. */
export const PASS_LANE = 14
/** Top of the jobs, in CSS pixels. */
export const ROWS_TOP = TIME_AXIS + PASS_LANE
