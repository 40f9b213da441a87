"""Methods of `respond`, from best response to adapting beyond the depth limit."""
