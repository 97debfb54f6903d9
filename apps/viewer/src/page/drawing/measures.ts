/** Left margin of all views over time, in CSS pixels. The common margin aligns the times of the views. */
export const GUTTER = 88
/** Height of the time axis above the chart of jobs, in CSS pixels. */
export const TIME_AXIS = 20
/** Height of the lane of scheduling passes below the time axis, in CSS pixels. */
export const PASS_LANE = 14
/** Distance from the top of the chart of jobs to its first row, in CSS pixels. */
export const ROWS_TOP = TIME_AXIS + PASS_LANE
