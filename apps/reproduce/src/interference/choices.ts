/**
 * Models of iteration times. `fluid`: jobs go through phases event by event. `snapshot`: message rates are constant, as
 * if all jobs sent all messages at once.
 */
export const models = ['fluid', 'snapshot'] as const
export type Model = (typeof models)[number]

/** Routings of messages. The Pollard paper argues with static routing, but does not state the routes. */
export const routings = ['D-mod-k', 'random up-ports', 'spread'] as const
export type Routing = (typeof routings)[number]
