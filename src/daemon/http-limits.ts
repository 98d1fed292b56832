/**
 * Larger requests are refused, bytes. GitHub sends up to 25 MB for a push, and far less for the events that are asked for. Apart
 * from the server, which is loaded only where one is wanted.
 */
export const maxBodyBytes = 1024 * 1024;
