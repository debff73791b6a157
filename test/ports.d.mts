/** Ports of loopback in a row, this process's until it ends. */
export function ownPorts(count: number): Promise<[number, ...number[]]>;
