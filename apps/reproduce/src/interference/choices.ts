/** How iterations are timed: event by event, or from the rates while all jobs send everything at once. */
export const models = ['fluid', 'snapshot'] as const
export type Model = (typeof models)[number]

/** How messages are led. What the paper leaves open: it argues with static routing. */
export const routings = ['D-mod-k', 'random up-ports', 'spread'] as const
export type Routing = (typeof routings)[number]
