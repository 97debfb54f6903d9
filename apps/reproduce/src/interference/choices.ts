/** Models of iteration times: event by event, or from the rates while all jobs send all messages at once. */
export const models = ['fluid', 'snapshot'] as const
export type Model = (typeof models)[number]

/** Routings of messages. The paper argues with static routing and leaves the routes open. */
export const routings = ['D-mod-k', 'random up-ports', 'spread'] as const
export type Routing = (typeof routings)[number]
