/**
 * Most nodes of a machine, links of a level and names of a hostlist: a limit on the memory that hostile input can take.
 */
export const MAX_IDS: number = 2 ** 22

/** Most levels of switches of a machine. */
export const MAX_LEVELS = 16

/**
 * Most characters of all names of a hostlist together. The limit exists because a short text with brackets can stand
 * for very many names.
 */
export const MAX_NAME_CHARACTERS: number = 2 ** 24
