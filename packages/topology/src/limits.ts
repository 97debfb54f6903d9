/** Most nodes of a machine, links of a level and names of a hostlist: hostile input must not exhaust the memory. */
export const MAX_IDS: number = 2 ** 22

/** Most levels of switches of a machine. */
export const MAX_LEVELS = 16

/** Most characters of all names of a hostlist, because a short text with brackets can stand for very many names. */
export const MAX_NAME_CHARACTERS: number = 2 ** 24
